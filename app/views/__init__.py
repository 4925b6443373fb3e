"""What each page may see: frozen dataclasses of ready words, links and booleans, one module per page.

A view holds no rule and asks nothing; whoever builds it has decided. Every page class has `example()`, and
`examples()` where more than one state is worth seeing. A house renovation is the world of all examples.
"""

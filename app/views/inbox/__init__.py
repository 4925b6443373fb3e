"""The Inbox: the queue, the open item and what stands beside it."""

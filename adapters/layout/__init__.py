"""Places of nodes in drawings of a graph. Owns no coordinate that is kept: a drawing is made, looked at and forgotten."""

from adapters.layout.sugiyama import Sugiyama as Sugiyama

"""KIP, the language of memory, on the graph that the layers use."""

"""L1 to L3: the graph of fragments, events and concepts, and how it is formed, fades and is governed."""

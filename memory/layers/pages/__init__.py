"""Pages of the layers: memories, their graph, sessions, distillation."""

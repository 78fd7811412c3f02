"""How a Space's database is made, reached, checked and left."""

"""How large the parts of a store are."""

A_SCOPE = 10_000
# So many books are written; the scopes share them. Lexemes carry their scope and every statement is confined to one,
# so that nothing measured can tell.
BOOKS = 10

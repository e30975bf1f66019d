"""The odds feed: whole images of tables, in order, to everybody who watches."""

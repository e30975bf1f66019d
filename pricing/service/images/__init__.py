"""What everybody is told of a table: whole images, offers, changes."""

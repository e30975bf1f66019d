"""Historical shoes: read, checked, priced and settled; and simulated ones."""

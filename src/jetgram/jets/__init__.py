"""Jets: finding, preprocessing, perturbing and describing them."""

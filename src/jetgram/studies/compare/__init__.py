"""Networks side by side on one dataset: accuracy against the cost of training and of inference."""

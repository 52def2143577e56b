"""How fast is jetgram on this machine: engines beside the speed of a matrix product, and the way from file to score."""

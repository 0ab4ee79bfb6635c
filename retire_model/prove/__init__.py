"""`retire-model prove`: the smoke run of many models, under several releases and numbers of ranks."""

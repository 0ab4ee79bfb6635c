"""Static and dynamic reading compared for every causal language model class of a Transformers release."""

"""What every REST route shares: strict input in, problem+json or plain JSON out."""

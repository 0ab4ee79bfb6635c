"""Reads engine trees and Transformers sources into frozen facts; judges nothing, writes nothing."""

"""Where trees and releases come from: folders, the cache, the package index."""

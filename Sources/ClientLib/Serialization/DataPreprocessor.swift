/// Transforms a body before it is serialized.
public protocol DataPreprocessor: Sendable {
    /// The body to serialize.
    func preprocess(_ data: [UInt8]) throws -> [UInt8]
}

/// Leaves bodies unchanged.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// Creates a preprocessor.
    public init() {}
    /// Returns the same body.
    public func preprocess(_ data: [UInt8]) -> [UInt8] { data }
}

/// Removes the `)]}',` and line feed that some servers put before JSON so that it cannot be
/// included as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    /// Creates a preprocessor.
    public init() {}
    /// The body without the prefix.
    public func preprocess(_ data: [UInt8]) -> [UInt8] {
        let prefix = Array(")]}',\n".utf8)
        return data.starts(with: prefix) ? Array(data.dropFirst(prefix.count)) : data
    }
}

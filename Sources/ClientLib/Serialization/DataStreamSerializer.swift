public import FoundationEssentials
internal import Synchronization

/// Makes a value from each piece of a stream.
public protocol DataStreamSerializer<Output>: Sendable {
    /// The type of the values.
    associatedtype Output: Sendable
    /// Makes a value, or returns nil if the piece contains none yet.
    func serialize(_ piece: [UInt8]) throws -> Output?
}

/// Returns each piece unchanged.
public struct PassthroughStreamSerializer: DataStreamSerializer {
    /// Creates a serializer.
    public init() {}
    /// Returns the piece.
    public func serialize(_ piece: [UInt8]) -> [UInt8]? { piece }
}

/// Converts pieces to text in the charset of a byte order mark at the start of the first, or as
/// UTF-8. A character that is split between two pieces is delivered with the second. Use one
/// serializer for one request only.
public final class StringStreamSerializer: DataStreamSerializer {
    private let text = Mutex(TextPieces())

    /// Creates a serializer.
    public init() {}

    /// The text; bytes that are invalid in the charset become U+FFFD.
    public func serialize(_ piece: [UInt8]) -> String? {
        let text = text.withLock { $0.text(of: piece) }
        return text.isEmpty ? nil : text
    }
}

/// Decodes each piece.
public struct DecodableStreamSerializer<Value: Decodable & Sendable>: DataStreamSerializer {
    private let decoder: any DataDecoder
    private let preprocessor: any DataPreprocessor

    /// Creates a serializer.
    public init(
        decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
    }

    /// The decoded value.
    public func serialize(_ piece: [UInt8]) throws -> Value? {
        let bytes = try preprocessor.preprocess(piece)
        return try decoder.decode(Value.self, from: Data(bytes))
    }
}

public import Foundation
internal import Synchronization

/// Makes a value of each piece of a stream.
public protocol DataStreamSerializer<Output>: Sendable {
    /// What it makes.
    associatedtype Output: Sendable
    /// Makes a value; nil where the piece holds none yet.
    func serialize(_ piece: [UInt8]) throws -> Output?
}

/// Gives each piece as it is.
public struct PassthroughStreamSerializer: DataStreamSerializer {
    /// A serializer.
    public init() {}
    /// The piece.
    public func serialize(_ piece: [UInt8]) -> [UInt8]? { piece }
}

/// Gives pieces as text: in the charset of a byte order mark that the first begin with, else as
/// UTF-8. A character that is cut between two pieces comes with the second. One serializer is for
/// one request.
public final class StringStreamSerializer: DataStreamSerializer {
    private let text = Mutex(TextPieces())

    /// A serializer.
    public init() {}

    /// The text; bytes that the charset does not have become U+FFFD.
    public func serialize(_ piece: [UInt8]) -> String? {
        let text = text.withLock { $0.text(of: piece) }
        return text.isEmpty ? nil : text
    }
}

/// Decodes each piece.
public struct DecodableStreamSerializer<Value: Decodable & Sendable>: DataStreamSerializer {
    private let decoder: any DataDecoder
    private let preprocessor: any DataPreprocessor

    /// A serializer.
    public init(
        decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
    }

    /// The value.
    public func serialize(_ piece: [UInt8]) throws -> Value? {
        let octets = try preprocessor.preprocess(piece)
        return try decoder.decode(Value.self, from: Data(octets))
    }
}

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

/// Gives pieces as text. A character that is cut between two pieces comes with the second. One
/// serializer is for one request.
public final class StringStreamSerializer: DataStreamSerializer {
    private let rest = Mutex<[UInt8]>([])

    /// A serializer.
    public init() {}

    /// The text; octets that are no UTF-8 become U+FFFD.
    public func serialize(_ piece: [UInt8]) -> String? {
        rest.withLock { rest in
            let all = rest + piece
            let cut = StringStreamSerializer.cutByteCount(at: all)
            rest = Array(all.suffix(cut))
            let text = String(decoding: all.dropLast(cut), as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }

    /// Octets at the end that begin a character and do not complete it.
    private static func cutByteCount(at octets: [UInt8]) -> Int {
        for (index, octet) in octets.suffix(3).reversed().enumerated() {
            if octet & 0xC0 == 0x80 { continue }
            let needed = octet >= 0xF0 ? 4 : octet >= 0xE0 ? 3 : octet >= 0xC0 ? 2 : 1
            return needed > index + 1 ? index + 1 : 0
        }
        return 0
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

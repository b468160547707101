public import Dispatch
public import FoundationEssentials
internal import Synchronization

extension DataStreamRequest {
    /// Calls `stream` with the serialized value of each piece, and at the end, on `queue` or in the
    /// request's own task. An error thrown by `stream` cancels the request.
    @discardableResult
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, on queue: DispatchQueue? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        stream: @escaping @Sendable (Stream<Serializer.Output, ClientError>) throws -> Void
    ) -> Self {
        let isCancelling = automaticallyCancelOnStreamError || isCancelledByErrors
        return tell(stream, on: queue) { piece in
            let result = DataStreamRequest.result(serializer, piece)
            if isCancelling, case .failure(let error) = result { return (result, error) }
            return (result, nil)
        }
    }

    /// Calls `stream` with each piece, and at the end.
    @discardableResult
    public func responseStream(
        on queue: DispatchQueue? = nil,
        stream: @escaping @Sendable (Stream<[UInt8], Never>) throws -> Void
    ) -> Self {
        tell(stream, on: queue) { (.success($0), nil) }
    }

    /// Calls `stream` with each piece as text, and at the end.
    @discardableResult
    public func responseStreamString(
        on queue: DispatchQueue? = nil,
        stream: @escaping @Sendable (Stream<String, Never>) throws -> Void
    ) -> Self {
        let serializer = StringStreamSerializer()
        return tell(stream, on: queue) { (serializer.serialize($0).map { .success($0) }, nil) }
    }

    /// Calls `stream` with each piece decoded, and at the end.
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        decoder: any DataDecoder = JSONDecoder(), automaticallyCancelOnStreamError: Bool = false,
        stream: @escaping @Sendable (Stream<Value, ClientError>) throws -> Void
    ) -> Self {
        responseStream(
            using: DecodableStreamSerializer(decoder: decoder), on: queue,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, stream: stream)
    }

    /// Calls `stream` with the value of each piece, and at the end. The next piece is read from the
    /// network when `stream` has returned, whatever queue it runs on.
    private func tell<Value: Sendable, Failure: Error>(
        _ stream: @escaping @Sendable (Stream<Value, Failure>) throws -> Void,
        on queue: DispatchQueue?, making make: @escaping Making<Value, Failure>
    ) -> Self {
        pieces.add { [weak self] piece throws(ClientError) in
            guard let self else { return }
            let (made, end) = make(piece)
            guard let made else { return }
            let told = Stream(event: .stream(made), token: CancellationToken(request: self))
            do {
                try await queue.run { try stream(told) }
            } catch {
                throw .wrapping(error, as: .responseSerializationFailed(.custom))
            }
            if let end { throw end }
        }
        core.add(
            ResponseHandler(isParsing: false) { [weak self] completion, record in
                let end = Completion(
                    request: completion.request, response: completion.response,
                    timeline: record.timeline, error: completion.error)
                let request = self
                return ResponseHandler.Outcome(error: nil) {
                    guard let request else { return }
                    let told = Stream<Value, Failure>(
                        event: .complete(end), token: CancellationToken(request: request))
                    queue.deliver { try? stream(told) }
                }
            }, to: self)
        return self
    }

    /// The value of a piece, or nil if it contains none yet; and the error that ends the stream.
    private typealias Making<Value: Sendable, Failure: Error> =
        @Sendable (_ piece: [UInt8]) -> (Result<Value, Failure>?, ClientError?)

    /// The serialized values of the pieces as they arrive. Iterate the sequence only once; ending
    /// the iteration early cancels the request. Data for the next element is read from the network
    /// only when that element is requested.
    public func streaming<Serializer: DataStreamSerializer>(
        using serializer: Serializer
    ) -> PulledStream<Serializer.Output> {
        let handoff = Handoff<Serializer.Output>()
        pieces.add { piece throws(ClientError) in
            guard let result = DataStreamRequest.result(serializer, piece) else { return }
            guard await handoff.give(try result.get()) else {
                throw ClientError(.explicitlyCancelled)
            }
        }
        core.add(
            ResponseHandler(isParsing: false) { completion, _ in
                ResponseHandler.Outcome(error: nil) { handoff.end(completion.error) }
            }, to: self)
        return PulledStream(handoff: handoff, request: self)
    }

    public func streamingData() -> PulledStream<[UInt8]> {
        streaming(using: PassthroughStreamSerializer())
    }

    public func streamingStrings() -> PulledStream<String> {
        streaming(using: StringStreamSerializer())
    }

    private static func result<Serializer: DataStreamSerializer>(
        _ serializer: Serializer, _ piece: [UInt8]
    ) -> Result<Serializer.Output, ClientError>? {
        do {
            return try serializer.serialize(piece).map { .success($0) }
        } catch {
            return .failure(.wrapping(error, as: .responseSerializationFailed(.custom)))
        }
    }
}

/// Makes a value from each piece of a stream.
public protocol DataStreamSerializer<Output>: Sendable {
    associatedtype Output: Sendable
    /// Makes a value, or returns nil if the piece contains none yet.
    func serialize(_ piece: [UInt8]) throws -> Output?
}

/// Returns each piece unchanged.
public struct PassthroughStreamSerializer: DataStreamSerializer {
    public init() {}
    public func serialize(_ piece: [UInt8]) -> [UInt8]? { piece }
}

/// Converts pieces to text in the charset of a byte order mark at the start of the first, or as
/// UTF-8. A character that is split between two pieces is delivered with the second. Use one
/// serializer for one request only.
public final class StringStreamSerializer: DataStreamSerializer {
    private let text = Mutex(TextPieces())

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

    public init(
        decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
    }

    public func serialize(_ piece: [UInt8]) throws -> Value? {
        let bytes = try preprocessor.preprocess(piece)
        return try decoder.decode(Value.self, from: Data(bytes))
    }
}

/// Converts pieces to text, wherever they are split. The charset is that of the byte order mark
/// (WHATWG Encoding §6), which is not part of the text, or UTF-8.
struct TextPieces: Sendable {
    private enum Charset {
        case unknown, utf8, utf16LittleEndian, utf16BigEndian
    }

    private var charset = Charset.unknown
    /// The start of a byte order mark or character that the next piece completes.
    private var rest: [UInt8] = []

    private static let marks: [(bytes: [UInt8], charset: Charset)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian),
    ]

    /// The text of the next piece, together with the rest of the one before.
    mutating func text(of piece: [UInt8]) -> String {
        var bytes = (rest + piece)[...]
        rest = []
        if charset == .unknown {
            if let mark = Self.marks.first(where: { bytes.starts(with: $0.bytes) }) {
                charset = mark.charset
                bytes = bytes.dropFirst(mark.bytes.count)
            } else if Self.marks.contains(where: { $0.bytes.starts(with: bytes) }) {
                rest = Array(bytes)
                return ""
            } else {
                charset = .utf8
            }
        }
        let whole = bytes.dropLast(cutByteCount(at: bytes))
        rest = Array(bytes[whole.endIndex...])
        return decoded(whole)
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard charset != .utf8 else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: units(bytes), as: UTF16.self)
    }

    private func units(_ bytes: ArraySlice<UInt8>) -> [UInt16] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return charset == .utf16BigEndian ? first << 8 | second : second << 8 | first
        }
    }

    /// The number of bytes at the end that start a character but do not complete it.
    private func cutByteCount(at bytes: ArraySlice<UInt8>) -> Int {
        guard charset == .utf8 else {
            let odd = bytes.count % 2
            let isHalf = units(bytes.dropLast(odd).suffix(2)).first.map(UTF16.isLeadSurrogate)
            return isHalf == true ? odd + 2 : odd
        }
        for (index, byte) in bytes.suffix(3).reversed().enumerated() {
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return needed > index + 1 ? index + 1 : 0
        }
        return 0
    }
}

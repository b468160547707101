public import ProxydCaptureModel
internal import ProxydContentCoding
public import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydProtobuf
internal import Synchronization

/// Decodes the messages of one gRPC, gRPC-Web or Connect call.
public struct GRPCReading: Sendable {
    public enum Content: Sendable {
        /// A message of a described type, or one that is already JSON.
        case json(JSONValue, type: String?, problem: String?)
        /// The fields of a message without a description; see `FieldReadings`.
        case fields(JSONValue)
        /// Bytes that cannot be decoded, and the reason.
        case unreadable(String)
    }

    private let call: GRPCCall
    private let registry: DescriptorRegistry

    public init(_ call: GRPCCall, _ registry: DescriptorRegistry) {
        self.call = call
        self.registry = registry
    }

    /// The full type name of a direction's messages; nil if no description has the method.
    public func typeName(_ direction: MessageRecord.Direction) -> String? {
        let method = registry.method(atPath: call.path)
        return direction == .toServer ? method?.inputType : method?.outputType
    }

    /// The bytes of a message of the kind `grpc`, decompressed if that is possible.
    public func bytes(of message: MessageRow) -> [UInt8] {
        call.bytes(of: message) ?? message.bytes
    }

    public func content(of message: MessageRow) -> Content {
        guard let bytes = call.bytes(of: message) else {
            return .unreadable("compressed in an unknown way, or damaged")
        }
        if call.isJSON(message.direction) {
            let value = try? JSONReader().read(bytes)
            return value.map { .json($0, type: nil, problem: nil) }
                ?? .unreadable("the message is marked as JSON but is not JSON")
        }
        if let type = typeName(message.direction),
            let decoded = try? MessageDecoder(registry).message(bytes, type: type)
        {
            return .json(decoded.json, type: type, problem: decoded.problem?.description)
        }
        return .fields(FieldReadings.json(of: bytes))
    }

    /// The members of a message in `messages --json`: `compressed`, then `json` and the `type` used
    /// to decode it, or `fields`, or the bytes as `base64`; `problem` if there is one.
    public func members(of message: MessageRow) -> [(String, JSONValue)] {
        let isCompressed = message.flags.contains(.compressed)
        var members: [(String, JSONValue)] = [("compressed", .bool(isCompressed))]
        switch content(of: message) {
        case .json(let json, let type, let problem):
            members.append(("json", json))
            if let type { members.append(("type", .string(type))) }
            if let problem { members.append(("problem", .string(problem))) }
        case .fields(let fields): members.append(("fields", fields))
        case .unreadable(let problem):
            members.append(("base64", .string(Base64.text(message.bytes))))
            members.append(("problem", .string(problem)))
        }
        return members
    }

    /// Formats a message on one line: JSON, or `1: "text", 2: {1: 5}`; nil if it cannot be decoded.
    /// Control characters are escaped.
    public func line(of message: MessageRow) -> String? {
        switch content(of: message) {
        case .json(let json, _, _): FieldsText.json(json)
        case .fields(let fields): FieldsText.line(of: fields)
        case .unreadable: nil
        }
    }
}

/// A gRPC, gRPC-Web or Connect call, with what the heads of the exchange say about its messages.
public struct GRPCCall: Sendable, Hashable {
    /// The path: `/package.Service/Method`.
    public var path: String
    /// The Content-Type in each direction.
    private var types: [MessageRecord.Direction: String] = [:]
    /// The message encoding (compression) in each direction.
    private var encodings: [MessageRecord.Direction: String] = [:]

    public static let decompressedByteCountMax = 64 << 20

    /// Creates a call from its path and the fields of its heads, as far as they are known.
    public init(path: String, request: HeaderFields?, response: HeaderFields?) {
        self.path = path
        take(request, .toServer)
        take(response, .toClient)
    }

    /// The call of an exchange; nil if its URL could not be parsed.
    public init?(_ exchange: Exchange) {
        guard let url = exchange.request.url else { return nil }
        self.init(
            path: url.pathText, request: exchange.request.head?.fields,
            response: exchange.response?.head.fields)
    }

    private mutating func take(_ fields: HeaderFields?, _ direction: MessageRecord.Direction) {
        guard let fields else { return }
        types[direction] = fields["content-type"]
        encodings[direction] = fields["grpc-encoding"] ?? fields["connect-content-encoding"]
    }

    /// Whether the messages in a direction are JSON instead of protocol buffers.
    func isJSON(_ direction: MessageRecord.Direction) -> Bool {
        let type = (types[direction] ?? "").lowercased().prefix { $0 != ";" }
        return type.hasSuffix("+json") || type == "application/json"
    }

    /// A message's decompressed bytes; nil for an unknown compression or corrupt data.
    public func bytes(of message: MessageRow) -> [UInt8]? {
        guard message.flags.contains(.compressed) || message.flags.contains(.stillCompressed)
        else { return message.bytes }
        if let decoded = decompressed(message) { return decoded }
        // A message that was already decompressed is stored that way.
        return message.flags.contains(.stillCompressed) || isCompressed(message)
            ? nil
            : message.bytes
    }

    /// Whether the bytes start with the gzip magic number, which no protocol buffers message does.
    private func isCompressed(_ message: MessageRow) -> Bool {
        message.bytes.starts(with: [0x1F, 0x8B])
    }

    private func decompressed(_ message: MessageRow) -> [UInt8]? {
        let encoding = encodings[message.direction] ?? "identity"
        var limits = DecodingLimits()
        limits.decodedByteCountMax = GRPCCall.decompressedByteCountMax
        guard encoding.lowercased() != "identity" else { return nil }
        let content = ContentDecoder.decode(
            message.bytes.span, contentEncoding: encoding, limits: limits)
        guard content.remark == nil else { return nil }
        // If the message was truncated, return the part that was decompressed.
        return content.failure == nil || message.flags.contains(.cut) ? content.bytes : nil
    }
}

/// Caches the message descriptions in a store until they change. Safe to use from any thread.
public final class DescriptorCache: Sendable {
    private struct Entry {
        let store: UInt64
        let version: ProtoFileVersion
        let registry: DescriptorRegistry
    }

    private let entry = Mutex<Entry?>(nil)

    public init() {}

    public func registry(_ reader: any ExchangeReading) throws(StoreError) -> DescriptorRegistry {
        let version = try reader.protoFileVersion()
        let store = reader.storeNumber
        if let entry = entry.withLock({ $0 }), entry.store == store, entry.version == version {
            return entry.registry
        }
        let files = try reader.protoFiles().compactMap { try? FileDescriptor(bytes: $0.bytes) }
        let registry = DescriptorRegistry(files)
        entry.withLock { $0 = Entry(store: store, version: version, registry: registry) }
        return registry
    }

    /// A reader for an exchange's messages; nil if it is deleted or its URL could not be parsed.
    public func reading(
        of id: ExchangeID, _ reader: any ExchangeReading
    ) throws(StoreError) -> GRPCReading? {
        guard let exchange = try reader.exchange(id, bodyByteCountMax: 0),
            let call = GRPCCall(exchange)
        else { return nil }
        return GRPCReading(call, try registry(reader))
    }
}

/// Formats `FieldReadings` on one line, with the most plausible reading of each field.
public enum FieldsText {
    /// `1: "text", 2: {1: 5}`: prefers a text, then a message, then numbers, then base64.
    public static func line(of fields: JSONValue) -> String {
        guard case .array(let elements) = fields else { return "" }
        return elements.map(element).joined(separator: ", ")
    }

    package static func json(_ value: JSONValue) -> String {
        var text: [UInt8] = []
        JSONText.write(value, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func element(_ field: JSONValue) -> String {
        if let problem = field["problem"] { return "… " + json(problem) }
        return "\(field["number"].map(json) ?? "?"): \(value(field))"
    }

    private static func value(_ field: JSONValue) -> String {
        if let text = field["text"] { return json(text) }
        if let message = field["message"] { return "{\(line(of: message))}" }
        if let packed = field["packed"], case .object(let readings) = packed,
            let first = readings.first
        {
            return json(first.value)
        }
        if let number = field["float"] ?? field["double"], isUsual(number) { return json(number) }
        return (field["int"] ?? field["base64"]).map(json) ?? ""
    }

    /// Whether a floating-point reading is plausible: zero, or a magnitude from 1e-6 to 1e12.
    private static func isUsual(_ number: JSONValue) -> Bool {
        guard case .number(let digits) = number, let value = Double(digits) else { return false }
        return value == 0 || (1e-6...1e12).contains(value.magnitude)
    }
}

public enum GRPCStatusText {
    /// `5 NOT_FOUND: no such user`, or `none` if the call ended without a status; nil if the
    /// exchange is not a gRPC call or is still in progress. The message may contain control
    /// characters.
    public static func line(_ row: ExchangeRow, _ exchange: Exchange) -> String? {
        guard let number = row.grpcStatus else {
            let isOver = row.state != .active && row.spokenProtocol == .grpc
            return isOver ? "none" : nil
        }
        let status = GRPCStatus(Int64(number)).description
        guard let message = message(of: exchange), !message.isEmpty else { return status }
        return "\(status): \(message)"
    }

    /// The server's message for the status, from the trailer section or else the head.
    private static func message(of exchange: Exchange) -> String? {
        let response = exchange.response
        let value = response?.trailers?["grpc-message"] ?? response?.head.fields["grpc-message"]
        return value.map(GRPCStatus.message)
    }
}

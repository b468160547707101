public import ProxydCaptureModel
public import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydProtobuf

/// Decodes the messages of one gRPC, gRPC-Web or Connect call.
public struct GRPCReading: Sendable {
    /// The decoded content of a message.
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

    /// Creates a reader for the messages of a call.
    public init(_ call: GRPCCall, _ registry: DescriptorRegistry) {
        self.call = call
        self.registry = registry
    }

    /// The full type name of the messages in a direction; nil if no description contains the
    /// method.
    public func typeName(_ direction: MessageRecord.Direction) -> String? {
        let method = registry.method(atPath: call.path)
        return direction == .toServer ? method?.inputType : method?.outputType
    }

    /// The bytes of a message of the kind `grpc`, decompressed if that is possible.
    public func bytes(of message: MessageRow) -> [UInt8] {
        call.bytes(of: message) ?? message.bytes
    }

    /// Decodes a message of the kind `grpc`.
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

internal import ProxydParameterCoding

/// Converts messages to JSON by their descriptors: the ProtoJSON mapping ("JSON Format" in the
/// language guides), in the order of field numbers.
///
/// Data that does not match the descriptor stays visible: unknown fields, fields of another wire
/// type and invalid nested messages are in the member `@unknown`, as `FieldReadings` decodes them.
/// Unknown enum values are numbers, invalid UTF-8 in strings becomes U+FFFD, and times out of range
/// are objects.
public struct MessageDecoder: Sendable {
    /// The member for data without a description. No field can have this name.
    public static let unknownName = "@unknown"

    private let registry: DescriptorRegistry
    private let limits: ProtobufLimits

    /// Creates a decoder for the messages in a registry.
    public init(_ registry: DescriptorRegistry, limits: ProtobufLimits = ProtobufLimits()) {
        self.registry = registry
        self.limits = limits
    }

    /// Decodes a message of a type; nil if the type has no description. If the message is truncated
    /// or invalid, returns the part before the error, and the problem.
    /// - Throws: `tooMuch` if the message exceeds the limits.
    public func message(
        _ bytes: [UInt8], type name: String
    ) throws(ProtobufError) -> DecodedMessage? {
        var reading = MessageReading(registry, limits)
        let part = MessagePart(bytes)
        if WellKnownType(rawValue: name) != nil,
            let value = try reading.nested(part, type: name, depth: -1)
        {
            return DecodedMessage(json: value)
        }
        guard let message = registry.message(named: name) else { return nil }
        var problem: ProtobufError?
        let members = try reading.members(
            part, of: message, depth: 0, problem: &problem)
        return DecodedMessage(json: .members(members), problem: problem)
    }
}

public import ProxydParameterCoding

/// Turns messages into JSON by their descriptions: the mapping of ProtoJSON ("JSON Format" in the
/// language guides), in the order of the fields' numbers.
///
/// What the description does not say stays visible: fields that it does not have, those with a
/// value of another type, and nested messages that are none are in the member `@unknown`, read as
/// `FieldReadings` does. Numbers of enums without a name are numbers, bytes of a text that are no
/// UTF-8 become U+FFFD, times out of range are objects.
public struct MessageDecoder: Sendable {
    /// The member with what the description does not say. No field can have this name.
    public static let unknownName = "@unknown"

    private let registry: DescriptorRegistry
    private let limits: ProtobufLimits

    /// A decoder of the messages that a registry knows.
    public init(_ registry: DescriptorRegistry, limits: ProtobufLimits = ProtobufLimits()) {
        self.registry = registry
        self.limits = limits
    }

    /// A message of a type; nil where nothing describes the type. Of one whose end is missing or
    /// broken, what stands in front of that, and the problem.
    /// - Throws: `tooMuch` where the message has more than the limits let it have.
    public func message(
        _ octets: [UInt8], type name: String
    ) throws(ProtobufError) -> DecodedMessage? {
        var reading = MessageReading(registry, limits)
        let part = MessagePart(octets)
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

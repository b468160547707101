public import ProxydParameterCoding

/// A message converted to JSON.
public struct DecodedMessage: Sendable, Hashable {
    /// A JSON object, or the special JSON form of a well-known type.
    public var json: JSONValue
    /// Why the rest of the message could not be parsed; nil if it is complete.
    public var problem: ProtobufError?

    init(json: JSONValue, problem: ProtobufError? = nil) {
        self.json = json
        self.problem = problem
    }
}

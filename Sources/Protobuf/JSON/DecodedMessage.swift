public import ProxydParameterCoding

/// A message as JSON.
public struct DecodedMessage: Sendable, Hashable {
    /// Its object, or what the JSON mapping has for a well-known type.
    public var json: JSONValue
    /// Why its end could not be read; nil where all of it could.
    public var problem: ProtobufError?

    init(json: JSONValue, problem: ProtobufError? = nil) {
        self.json = json
        self.problem = problem
    }
}

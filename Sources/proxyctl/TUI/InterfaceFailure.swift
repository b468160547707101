internal import ClientLib

/// What did not work, for the line of notices.
struct InterfaceFailure: Error, CustomStringConvertible {
    let description: String

    /// Runs a body; what it throws becomes words for a person.
    static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw InterfaceFailure(description: failure.message ?? "it did not work")
        } catch let error as ClientError {
            throw InterfaceFailure(description: error.message)
        }
    }
}

internal import ClientLib

/// An error message for the hint line.
struct InterfaceFailure: Error, CustomStringConvertible {
    let description: String

    /// Runs a closure and converts its errors to messages for users.
    static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw InterfaceFailure(description: failure.message ?? "it failed")
        } catch let error as ClientError {
            throw InterfaceFailure(description: error.message)
        }
    }
}

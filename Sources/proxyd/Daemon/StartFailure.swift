/// Why the daemon could not start, in one line for a person.
struct StartFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// Why the daemon could not start, in one readable line.
struct StartFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

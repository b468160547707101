/// What server connections are found by: those of equal keys are interchangeable.
struct ConnectionKey: Hashable {
    /// Where they lead.
    let target: ConnectTarget
    /// Whose they are.
    let owner: ConnectionOwner
}

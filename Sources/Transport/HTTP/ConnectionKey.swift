/// The key under which the pool stores server connections: those with equal keys are
/// interchangeable.
struct ConnectionKey: Hashable {
    /// Where the connections lead.
    let target: ConnectTarget
    /// Whose requests the connections carry.
    let owner: ConnectionOwner
}

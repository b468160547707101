/// Whether a target is answered by the network or by its sample.
public enum StubBehavior: Sendable, Hashable {
    /// By the network.
    case never
    /// By its sample.
    case immediate
    /// By its sample, after a while.
    case delayed(Duration)
}

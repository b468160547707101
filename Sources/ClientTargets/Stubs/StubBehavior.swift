/// Whether a target is answered by the network or by its sample.
public enum StubBehavior: Sendable, Hashable {
    /// The network answers.
    case never
    /// The sample answers immediately.
    case immediate
    /// The sample answers after a delay.
    case delayed(Duration)
}

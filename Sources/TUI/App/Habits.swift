/// Choices on one screen that later screens start with, until the interface ends.
struct Habits: Sendable, Hashable {
    /// Whether lists of messages omit pings and pongs.
    var hidesPings = false
}

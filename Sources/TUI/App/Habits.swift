/// What a person chose on one screen and finds so on the next, until the interface ends.
struct Habits: Sendable, Hashable {
    /// Whether lists of messages leave out pings and pongs.
    var hidesPings = false
}

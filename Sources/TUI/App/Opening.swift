/// A screen to be shown, with the conversion of its answer to news for its opener: `Told`.
struct Opening<Told: Sendable>: Sendable {
    private let make: @Sendable (@escaping @Sendable (Told) -> any Sendable) -> any OpenScreen

    init<Screen: ScreenModel>(
        _ screen: Screen, _ told: @escaping @Sendable (Screen.Answer) -> Told
    ) {
        make = { tell in OpenedScreen(screen: screen) { tell(told($0)) } }
    }

    private init(
        make: @escaping @Sendable (@escaping @Sendable (Told) -> any Sendable) -> any OpenScreen
    ) {
        self.make = make
    }

    /// Returns the screen; `tell` converts its answer to what the opener expects.
    func screen(_ tell: @escaping @Sendable (Told) -> any Sendable) -> any OpenScreen {
        make(tell)
    }

    func map<Other: Sendable>(
        _ change: @escaping @Sendable (Told) -> Other
    ) -> Opening<Other> {
        Opening<Other>(make: { tell in make { tell(change($0)) } })
    }
}

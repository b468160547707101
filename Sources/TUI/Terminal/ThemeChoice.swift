/// Which theme is wanted.
public enum ThemeChoice: Sendable {
    case light, dark
    /// The one that suits the terminal's background.
    case auto
}

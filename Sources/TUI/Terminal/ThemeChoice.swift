/// The requested theme.
public enum ThemeChoice: Sendable {
    case light, dark
    /// The theme that suits the terminal's background.
    case auto
}

/// The version of the programs, which are released together.
public enum ProgramVersion {
    /// Major, minor and patch: `0.1.0`.
    public static let number = "0.1.0"
}

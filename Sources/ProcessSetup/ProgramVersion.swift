/// The version of the programs, which are released together.
public enum ProgramVersion {
    /// Major, minor and patch.
    public static let number = "0.2.0"
}

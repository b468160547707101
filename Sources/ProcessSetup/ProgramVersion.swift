/// The version of the programs, which are released together.
public enum ProgramVersion {
    public static let number = "0.2.0"
}

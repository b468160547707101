/// The version this program names in what it writes; proxyd's own.
enum ProgramVersion {
    static let number = "0.1.0"
}

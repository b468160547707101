internal import ArgumentParser

/// The option of the program and its commands. It is one group because the program takes its own
/// options wherever they are in the command line.
struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?
}

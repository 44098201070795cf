//! The agent as `app_process` starts it on a phone, with a simulated phone in it: for tests of the way there.
//! usage: agent sim:NAME [the agent's own options]; the keys come through standard input.

use std::error::Error;

use retap_agent::agent_process::serve;
use retap_agent::options::AgentOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().ok_or("usage: agent sim:NAME [OPTIONS]")?;
    let options = AgentOptions::parse(&arguments.collect::<Vec<_>>())?;
    Ok(serve(Box::new(retap_simulator::open(&spec)?), &options)?)
}

// The shapes of the server's answers, from its own schema. Written by `make types`, not by hand.

/** An agent, where what is its own lies, and what it said last of what it does. */
export interface Agent {
  name: string;
  scope: string;
  objective: string;
  updated_at: string | null;
}

/** The tokens of one agent. */
export interface AgentSpent {
  name: string;
  tokens: number;
}

/** What says nearly the same as something else. */
export interface Alike {
  groups: Group[];
}

/** A project that got partitions of its own in Postgres, or gave them back. */
export interface Arranged {
  scope: string;
  records: number;
  apart: boolean;
}

/** A file that a task has produced. */
export interface Artifact {
  id: string;
  project: string | null;
  task_id: string | null;
  agent_id: string;
  type: string;
  path: string | null;
  description: string;
  size_bytes: number | null;
  checksum: string | null;
  created_at: string;
}

/** Some of the files. */
export interface ArtifactPage {
  artifacts: Artifact[];
  total: number;
  cursor: string | null;
}

/** One entry of a file, and what became of it. */
export interface Became {
  fate: string;
  /** Its number, from 1; 0 where lines alone are counted. */
  item: number;
  line: number;
  session: string | null;
  text: string;
  note: string;
}

/** One change: the event, the version that it made, the one before it. */
export interface Change {
  event: Event;
  record: Record | null;
  before: Record | null;
  cursor: string;
}

/** Some of what happened, and where to go on. */
export interface Changes {
  changes: Change[];
  cursor: string;
  more: boolean;
}

/** What a browser signs in with, once. */
export interface Code {
  code: string;
}

/** What gave way to summaries, or would. */
export interface Compacted {
  applied: boolean;
  compacted: Summed[];
}

/** What is put before a model, what was left out, and how the budget was shared. */
export interface Context {
  text: string;
  messages: { [name: string]: string }[];
  blocks: string;
  budget: number;
  tokens: number;
  considered: number;
  compression: number;
  split: Split;
  /** How many tokens each part takes. */
  parts: { [name: string]: number };
  /** What each part could count on, in tokens. */
  rooms: { [name: string]: number };
  entries: Entry[];
  left_out: LeftOut[];
  /** What could not be looked at, and why. */
  degraded: string[];
}

/** The tokens of one day. */
export interface DaySpent {
  day: string;
  tokens: number;
}

/** What one policy did, or would do. */
export interface Done {
  name: string;
  why: string;
  takes: number;
  of: number;
  left: number;
  asks: boolean;
  steps: Step[];
  waits: boolean;
  tx: string | null;
}

/** A memory that had better be looked at. */
export interface Doubtful {
  record: Record;
  signs: Sign[];
}

/** What looks suspicious among the memories that were looked at. */
export interface Doubts {
  looked: number;
  more: boolean;
  found: Doubtful[];
}

/** What an acknowledged write survives. */
export interface Durable {
  /** synced: power loss; committed: the end of the process; ephemeral: neither */
  level: string;
  /** Layers that survive less, each with its level. */
  weaker: { [name: string]: string };
}

/** One task that waits for another. */
export interface Edge {
  task: string | null;
  waits_for: string;
}

/** What a code was traded for, and the code for the next time. */
export interface Entered {
  token: string;
  expires_at: string;
  /** From now; clocks of two machines may differ. */
  lasts_seconds: number;
  principal: Principal;
  next_code: string;
}

/** One memory that is shown to a model. */
export interface Entry {
  id: string;
  part: string;
  tokens: number;
  score: number | null;
  cut: boolean;
  line: string;
}

/** What was tried, and how it went. */
export interface Episode {
  id: string;
  project: string | null;
  task_id: string | null;
  agent_id: string;
  action: string;
  approach: string | null;
  outcome: string | null;
  duration_ms: number | null;
  tokens_in: number | null;
  tokens_out: number | null;
  created_at: string;
}

/** Some of what was tried. */
export interface EpisodePage {
  episodes: Episode[];
  total: number;
  cursor: string | null;
}

/** What went for good, where it was looked for, and what remains. */
export interface Erasure {
  records: string[];
  versions: number;
  sealed: number;
  files: number;
  bytes: number;
  residue: string[];
  unlooked: string[];
  mentions: string[];
  sources: string[];
  chain_verified: boolean;
  complete: boolean;
}

/** What would go for good, and what of it would stay; nothing was changed. */
export interface ErasurePlan {
  records: Touched[];
  versions: number;
  sealed: number;
  /** Entries in the index of words. */
  words: number;
  /** Files of the store that would be written anew. */
  files: string[];
  /** Memories that say the same, and stay. */
  mentions: string[];
  /** The first hundred of these. */
  saying: Touched[];
  /** Notes that would bring it back if imported again. */
  notes: string[];
  /** Files outside that hold it, and stay. */
  sources: string[];
}

/** One link of the log. */
export interface Event {
  stream: string;
  seq: number;
  tx: string;
  record: string;
  rev: number;
  action: string;
  actor: string;
  surface: string;
  at: string;
  digest: string | null;
  hash: string;
}

/** Where something was read. */
export interface Evidence {
  quote: string;
  record: Record | null;
  /** The file and line, where it was a file. */
  place: string | null;
}

/** Names that the newest records have, the commonest first. */
export interface Facets {
  kinds: string[];
  tags: string[];
  scopes: string[];
  sources: string[];
}

/** Figures that take long: null until they are there. */
export interface Figures {
  recalls: Recalls;
  knowledge: Weighed | null;
  spent: Spent | null;
  again_ms: number | null;
}

/** One thing that looking over the store has found. */
export interface Finding {
  check: string;
  severity: string;
  message: string;
  truth: string;
  remedy: string;
}

/** What looking over the store has found. */
export interface Findings {
  findings: Finding[];
}

/** Tasks, and which waits for which. */
export interface Graph {
  tasks: Record[];
  edges: Edge[];
}

/** Memories that say nearly the same. */
export interface Group {
  records: Record[];
}

/** A request from one agent to another, and its answer once there is one. */
export interface Handoff {
  id: string;
  from: string;
  to: string;
  action: string;
  memory: Snippet[];
  context: unknown;
  at: string;
  status: string;
  answer: string | null;
  returned: Snippet[];
}

/** Requests. */
export interface Handoffs {
  handoffs: Handoff[];
}

/** Whether the server is well: the worst of its parts. */
export interface Health {
  status: string;
  parts: Part[];
  durability: Durable;
}

/** Changes of a record, oldest first, and how many there are in all. */
export interface History {
  versions: Version[];
  total: number;
}

/** A record that was found, how likely it is what was meant, and why. */
export interface Hit {
  record: Record;
  score: number;
  terms: string[];
  /** What each signal adds; they explain the score. */
  parts: { [name: string]: number };
  /** Where words matched, if `marks` was asked for: begin and end, in units of UTF-16, in `text`, `key`, `source` and `tags.0`. */
  marks?: { [name: string]: number[][] } | null;
}

/** Who somebody turned out to be. */
export interface Identity {
  principal: Principal;
  /** The id of the key behind it. */
  key: string;
  /** When what was shown runs out. */
  until: string | null;
}

/** What an import came to, or would. */
export interface Import {
  applied: boolean;
  format: string;
  scope: string;
  sessions: number;
  /** How many entries came to what. */
  counts: { [name: string]: number };
  /** Why something was left out or refused. */
  reasons: { [name: string]: number };
  /** What to look at: the first 1,000. */
  problems: Became[];
  samples: Became[];
  sealed: number;
  /** What `POST /api/undo` takes, one for each batch. */
  transactions: string[];
}

/** One line of the answer to an import: progress, or in the last one report or error. */
export interface ImportLine {
  /** The share of the file that is done. */
  progress?: number | null;
  /** What was written since the last. */
  transactions?: string[] | null;
  report?: Import | null;
  stopped?: boolean | null;
  error?: Told | null;
}

/** What is known of a key. */
export interface Key {
  id: string;
  principal: Principal;
  label: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Every key of the store. */
export interface Keys {
  keys: Key[];
}

/** One thing that is known. */
export interface Knowledge {
  id: string;
  project: string | null;
  category: string;
  key: string | null;
  value: string;
  source: string;
  confidence: number;
  created_at: string;
  updated_at: string;
  rev: number;
}

/** Some of what is known. */
export interface KnowledgePage {
  knowledge: Knowledge[];
  total: number;
  cursor: string | null;
}

/** The last changes; `cursor` is the present, and `older` the way back. */
export interface Latest {
  changes: Change[];
  cursor: string;
  more: boolean;
  /** For `before`; null when there is nothing before. */
  older: string | null;
}

/** What was not decided, and why. */
export interface Left {
  id: string;
  why: string;
}

/** One memory that is not shown, and why. */
export interface LeftOut {
  id: string;
  why: string;
}

/** What a commit did; null when there was nothing to do. */
export interface MaybeReceipt {
  receipt: Receipt | null;
}

/** Sessions by name. */
export interface Names {
  sessions: string[];
}

/** A memory, and what ties it, the strongest first. */
export interface Neighbour {
  record: Record;
  ties: Tie[];
}

/** What one memory has to do with others, as far as the caller sees them. */
export interface Neighbourhood {
  record: string;
  neighbours: Neighbour[];
  /** How many more were found. */
  left_out: number;
  /** What it replaced and what replaced it, oldest first. */
  chain: Record[];
}

/** A key with its text, which nobody is shown again. */
export interface NewKey {
  id: string;
  principal: Principal;
  label: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  text: string;
}

/** What became of one record. */
export interface Outcome {
  id: string;
  rev: number;
  action: string;
  state: string | null;
}

/** What there is within sight. */
export interface Overview {
  records: number;
  tokens: number;
  layers: { [name: string]: number };
  layer_tokens: { [name: string]: number };
  projects: string[];
  project_sizes: ProjectSize[];
  agents: Agent[];
  proposals: number;
  /** When it is counted anew, if more was written since; null when nothing was. */
  again_ms: number | null;
}

/** How one part of the server is doing. */
export interface Part {
  part: string;
  /** green, amber or red */
  status: string;
  /** What is wrong; told to the store's owner alone. */
  message: string;
  /** When it last worked, in this server. */
  worked_at: string | null;
  failed_at: string | null;
  /** Vectors that wait; told to the owner alone. */
  backlog: Vectors | null;
  /** The last write by whatever process. */
  store_changed_at: string | null;
}

/** A place in history. */
export interface Place {
  cursor: string;
}

/** What one policy would do now. */
export interface Plan {
  name: string;
  why: string;
  takes: number;
  of: number;
  left: number;
  asks: boolean;
  steps: Step[];
}

/** What would be done now, by policy. */
export interface Plans {
  plans: Plan[];
}

/** Who somebody is, and what they are confined to. */
export interface Principal {
  name: string;
  role: string;
  /** The scope; null for who sees everything. */
  root: string | null;
}

/** What a project holds. */
export interface ProjectSize {
  name: string;
  records: number;
  tokens: number;
  agents: number;
}

/** A receipt, and how the signal departs from what was declared. */
export interface Published {
  tx: string | null;
  outcomes: Outcome[];
  seqs: { [name: string]: number };
  durability: string | null;
  pending: string[];
  repeated: boolean;
  sealed: string[];
  drift: string[];
}

/** What waits for somebody to accept or reject it. */
export interface Queue {
  waiting: Waiting[];
  /** How many wait, whatever the limit. */
  total: number;
}

/** What a search found, and what it left out. */
export interface Recall {
  hits: Hit[];
  abstained: boolean;
  suppressed: number;
  expired: number;
  doubtful: number;
  repeated: number;
  unfit: number;
  degraded: string[];
  took_ms: number;
}

/** How recalls through this server went. */
export interface Recalls {
  /** When the server began to count. */
  since: string;
  asked: number;
  /** Those to which nothing relevant was found. */
  abstained: number;
  /** Of the latest ones. */
  median_ms: number | null;
}

/** What one commit did; `tx` takes it back. */
export interface Receipt {
  tx: string | null;
  outcomes: Outcome[];
  seqs: { [name: string]: number };
  durability: string | null;
  pending: string[];
  repeated: boolean;
  sealed: string[];
}

/** One memory at one revision. */
export interface Record {
  id: string;
  scope: string;
  layer: string;
  kind: string;
  key: string | null;
  state: string;
  text: string;
  data: { [name: string]: unknown };
  tags: string[];
  importance: number;
  confidence: number;
  trust: string;
  source: string;
  tokens: number;
  valid_from: string | null;
  expires_at: string | null;
  supersedes: string | null;
  created_at: string;
  updated_at: string;
  rev: number;
}

/** Records, how many there are in all, and the way to the next page. */
export interface Records {
  records: Record[];
  total: number;
  /** Of the next page; null on the last. */
  cursor: string | null;
}

/** What was declared, by namespace: each key with the type of its value. */
export interface Schemas {
  schemas: { [name: string]: { [name: string]: string } };
}

/** One setting. */
export interface Setting {
  name: string;
  value: string;
  default: string;
  choices: string[];
  form: string;
  meaning: string;
  variable: string | null;
}

/** Every setting. */
export interface Settings {
  settings: Setting[];
}

/** What was decided in one transaction. */
export interface Settled {
  receipt: Receipt | null;
  done: string[];
  left: Left[];
}

/** A log or a session that was compacted, or would be. */
export interface Shortened {
  what: string;
  entries: number;
  tx: string | null;
}

/** What looks odd about a text, and where in it. */
export interface Sign {
  /** orders, hidden, encoded, link, contradicts or burst */
  sign: string;
  why: string;
  /** Where it begins in the text, in units of UTF-16. */
  start: number;
  end: number;
}

/** What stands on the board under a key. */
export interface Signal {
  key: string;
  value: unknown;
  publisher: string;
  published_at: string;
  rev: number;
  expires_at: string | null;
}

/** What stands on the board. */
export interface Signals {
  signals: Signal[];
}

/** Somebody has signed out. */
export interface SignedOut {
  left: boolean;
}

/** One memory as it was when it was handed over. */
export interface Snippet {
  text: string;
  source: string;
  trust: string;
  record: string | null;
}

/** What attempts at tasks have cost. */
export interface Spent {
  at: string;
  episodes: number;
  tokens_in: number;
  tokens_out: number;
  days: DaySpent[];
  agents: AgentSpent[];
}

/** How what is recalled was to be shared, and who said so. */
export interface Split {
  shares: { [name: string]: number };
  origin: string;
}

/** What is being done. */
export interface Status {
  scope: string;
  objective: string;
  next_steps: string[];
  updated_at: string | null;
  /** What `expect` takes to change this and nothing else. */
  rev: number;
}

/** What would become of one record. */
export interface Step {
  id: string;
  rev: number;
  scope: string;
  layer: string;
  does: string;
  reason: string;
  /** Of knowledge, where it is promoted; otherwise left out. */
  kind?: string;
  /** The scope that it becomes knowledge of, likewise. */
  target?: string;
  /** What it stands for; left out where nothing. */
  merged?: string[];
}

/** Whether there was something to stop. */
export interface Stopped {
  stopped: boolean;
}

/** What gave way to one summary, or would. */
export interface Summed {
  what: string;
  scope: string;
  why: string;
  replaced: number;
  kept: number;
  before_tokens: number;
  after_tokens: number;
  before_bytes: number;
  after_bytes: number;
  summary: string;
  archive_id: string | null;
  tx: string | null;
}

/** One way in which two memories are tied. */
export interface Tie {
  /** supersedes, superseded_by, rival, cites, cited_by, same_key, same_task, recalled_with or shares. */
  how: string;
  /** The field, key, task or words; may be empty. */
  why: string;
}

/** What a key was exchanged for. */
export interface Token {
  token: string;
  expires_at: string;
  /** From now; clocks of two machines may differ. */
  lasts_seconds: number;
  principal: Principal;
}

/** An error as every surface tells it. */
export interface Told {
  /** Stable; see `lamina.errors`. */
  code: string;
  message: string;
  /** What a person can do next. */
  remedy: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}

/** A memory that would go, or that says the same and would stay. */
export interface Touched {
  id: string;
  scope: string;
  layer: string;
  kind: string;
  key: string | null;
  state: string;
  /** The beginning of it, on one line. */
  text: string;
  versions: number;
  sealed: number;
  /** How it comes into this, unless it was named. */
  why: string;
}

/** A memory as it is, and as it would be. */
export interface Undoing {
  now: Record;
  then: Record;
}

/** What taking back would do. */
export interface Undone {
  undoing: Undoing[];
}

/** What upkeep did, or would do. */
export interface Upkeep {
  applied: boolean;
  at: string;
  asks: string[];
  plans: Done[];
  logs: number | null;
  compacted: Shortened[];
  history: { [name: string]: unknown } | null;
  partitions: Arranged[];
}

/** How far the vectors of the store have come. */
export interface Vectors {
  embedder: string;
  space: string | null;
  next_space: string | null;
  usable: boolean;
  made: number;
  pending: number;
  refused: number;
  set_aside: number;
  error: string | null;
}

/** How files stand to what was registered. */
export interface Verification {
  ok: boolean;
  workspace: string;
  at: string;
  artifacts: Verified[];
}

/** One artifact, and how its file stands now. */
export interface Verified {
  path: string;
  /** same, changed, missing or unknown */
  standing: string;
  record: Record;
}

/** A change, and the version that it made; null when it was erased or pruned. */
export interface Version {
  event: Event;
  record: Record | null;
}

/** A proposal, and what to know to decide on it. */
export interface Waiting {
  record: Record;
  /** What stands in its place now. */
  stands: Record | null;
  why: string[];
  evidence: Evidence[];
}

/** How much of what is known says the same as something else, or has faded. */
export interface Weighed {
  at: string;
  known: number;
  repeated: number;
  stale: number;
}

/** What kept a record out of a search; its rank is null when it is not in it. */
export interface WhyNot {
  record: string;
  query: string;
  rank: number | null;
  reasons: string[];
  score: number | null;
  parts: { [name: string]: number };
}

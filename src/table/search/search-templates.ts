/** Templates of a search with a certain number of conditions. */
interface SearchTemplates {
  /** `query where (a) and (b) order by c limit d offset e` */
  readonly page: TemplateStringsArray;
  /** `select count(*) from tables where (a) and (b)` */
  readonly total: TemplateStringsArray;
}

/** Templates of one request, which keep the compiled texts of different requests apart. */
export interface RequestTemplates {
  readonly ofConditions: (conditionCount: number) => SearchTemplates;
  /** `select columns from (a union all b) as page order by c limit d` */
  readonly ofSelects: (selectCount: number) => TemplateStringsArray;
}

/** Returns functions that create each template once. */
export const requestTemplates = (): RequestTemplates => ({
  ofConditions: createdOnce(makeTemplates),
  ofSelects: createdOnce(makeUnion),
});

function createdOnce<T>(create: (count: number) => T): (count: number) => T {
  const created = new Map<number, T>();
  return (count) => {
    const template = created.get(count) ?? create(count);
    created.set(count, template);
    return template;
  };
}

function makeTemplates(conditionCount: number): SearchTemplates {
  const joints = Array.from({ length: conditionCount }, (_, index) => (index === 0 ? " where (" : ") and ("));
  const end = conditionCount === 0 ? "" : ")";
  return {
    page: makeTemplate(["", ...joints, `${end} order by `, " limit ", " offset ", ""]),
    total: makeTemplate(["select count(*) from ", ...joints, end]),
  };
}

/** Returns the template of `select columns from (a union all b) as page order by c limit d`. */
function makeUnion(selectCount: number): TemplateStringsArray {
  const joints = Array.from({ length: selectCount - 1 }, (_, index) => `) as r${index} union all select * from (`);
  return makeTemplate(["select ", " from (select * from (", ...joints, `) as r) as page order by `, " limit ", ""]);
}

/** Returns the strings of a template that is built at run time. */
export const makeTemplate = (strings: readonly string[]): TemplateStringsArray =>
  Object.assign([...strings], { raw: strings });

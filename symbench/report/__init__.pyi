from symbench.report.page import Report as Report
from symbench.report.page import Section as Section
from symbench.report.prose import Heading as Heading
from symbench.report.prose import Prose as Prose
from symbench.report.prose import highlighted as highlighted
from symbench.report.prose import mathml as mathml
from symbench.report.prose import prose as prose
from symbench.report.prose import stylesheet as stylesheet
